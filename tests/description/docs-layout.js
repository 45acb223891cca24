// Runs in the page, in a frame of some width: words that are broken, text that reaches beyond the
// screen, headings and rows without an address, and links that lead nowhere.
const problems = [];
const width = document.documentElement.clientWidth;
if (document.documentElement.scrollWidth > width) problems.push(`the page is ${document.documentElement.scrollWidth} wide`);

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
    if (new Set(boxes.map((box) => Math.round(box.top))).size > 1) problems.push(`broken: ${word}`);
    // A block of code scrolls by itself.
    if (!block && boxes.some((box) => box.right > width + 1)) problems.push(`beyond the screen: ${word}`);
  }
}

const ids = [...document.querySelectorAll("[id]")].map((it) => it.id);
for (const id of new Set(ids)) if (ids.indexOf(id) !== ids.lastIndexOf(id)) problems.push(`two places called ${id}`);
for (const heading of document.querySelectorAll("h1, h2, h3, h4, h5")) {
  if (!heading.id) problems.push(`no address: ${heading.textContent}`);
}
for (const link of document.querySelectorAll('a[href^="#"]')) {
  if (!ids.includes(decodeURIComponent(link.hash.slice(1)))) problems.push(`leads nowhere: ${link.hash}`);
}
const listed = document.querySelectorAll("nav a").length;
const rows = document.querySelectorAll("tr[id]").length;
if (listed < 20 || rows < 50) problems.push(`${listed} entries in the contents, ${rows} rows with an address`);
parent.postMessage([`problems: ${problems.length} at ${width}, of ${words} words`, ...problems.slice(0, 20)].join("\n"), "*");
