// Runs on the page, in a frame, and reports broken words, text that is wider than the screen, headings without an
// id, duplicate ids, broken links, and too few entries in the contents or rows with an id.
const problems = [];
const width = document.documentElement.clientWidth;
if (document.documentElement.scrollWidth > width) problems.push(`the page is ${document.documentElement.scrollWidth} px wide, but the screen only ${width} px`);

const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
let words = 0;
while (walker.nextNode()) {
  const { currentNode: node } = walker;
  if (node.parentElement.closest("script, style")) continue;
  const block = node.parentElement.closest("pre");
  for (const { 0: word, index } of node.data.matchAll(/[\p{L}\p{N}_]+/gu)) {
    const range = document.createRange();
    range.setStart(node, index);
    range.setEnd(node, index + word.length);
    const boxes = [...range.getClientRects()];
    words += 1;
    if (new Set(boxes.map((box) => Math.round(box.top))).size > 1) problems.push(`broken word: ${word}`);
    // A code block has its own scroll bar.
    if (!block && boxes.some((box) => box.right > width + 1)) problems.push(`wider than the screen: ${word}`);
  }
}

const ids = [...document.querySelectorAll("[id]")].map((it) => it.id);
for (const id of new Set(ids)) if (ids.indexOf(id) !== ids.lastIndexOf(id)) problems.push(`duplicate id: ${id}`);
for (const heading of document.querySelectorAll("h1, h2, h3, h4, h5")) {
  if (!heading.id) problems.push(`heading without an id: ${heading.textContent}`);
}
for (const link of document.querySelectorAll('a[href^="#"]')) {
  if (!ids.includes(decodeURIComponent(link.hash.slice(1)))) problems.push(`broken link: ${link.hash}`);
}
const listed = document.querySelectorAll("nav a").length;
const rows = document.querySelectorAll("tr[id]").length;
if (listed < 20 || rows < 50) problems.push(`${listed} entries in the contents, ${rows} rows with an id`);
parent.postMessage([`problems: ${problems.length} at ${width}, of ${words} words`, ...problems.slice(0, 20)].join("\n"), "*");
