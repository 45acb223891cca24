// Runs on the page, in a frame, and reports: parts in the wrong place, broken words, text that is wider than the
// screen, headings without an id or with the same text, tables and code without a name, duplicate ids, broken links,
// and too few entries in the contents or rows with an id.
const problems = [];
const width = document.documentElement.clientWidth;
const box = (at) => document.querySelector(at).getBoundingClientRect();

// The page begins with its title. The contents are beside the text on a wide screen, and collapsed on a narrow one.
const [title, contents, text, operation] = ["h1", "nav", "#text", "h3"].map(box);
const beside = contents.right <= title.left && document.querySelector("nav li a").checkVisibility({ contentVisibilityAuto: true });
const below = title.bottom <= contents.top && contents.bottom <= text.top && contents.height < 60;
if (title.top > 120) problems.push(`the title is at ${title.top} px`);
if (width > 1152 ? !beside : !below) problems.push(`the contents are at ${contents.top} px, ${contents.height} px high, and the title ends at ${title.bottom} px`);
if (operation.top > (width < 500 ? 3000 : 2000)) problems.push(`the first operation is at ${operation.top} px`);

const height = document.documentElement.scrollHeight;
const [first, second] = document.querySelectorAll("a, button, input, summary, [tabindex]");
if (first.hash !== "#text" || !second) problems.push("the first link doesn't skip to the text");
for (const it of document.querySelectorAll("details")) {
  if (it.parentElement.id !== "contents" && !it.matches("summary + pre:last-child, :has(> summary + pre:last-child)")) problems.push(`folded: ${it.textContent.slice(0, 60)}`);
  it.open = true;
}
if (document.documentElement.scrollWidth > width) problems.push(`the page is ${document.documentElement.scrollWidth} px wide, but the screen only ${width} px`);

const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
let words = 0;
while (walker.nextNode()) {
  const { currentNode: node } = walker;
  if (node.parentElement.closest("script, style")) continue;
  const block = node.parentElement.closest("pre");
  for (const { 0: word, index } of node.data.matchAll(/[\p{L}\p{N}]+/gu)) {
    const range = document.createRange();
    range.setStart(node, index);
    range.setEnd(node, index + word.length);
    const boxes = [...range.getClientRects()];
    words += 1;
    if (boxes.length === 0) problems.push(`invisible word: ${word}`);
    if (new Set(boxes.map((box) => Math.round(box.top))).size > 1) problems.push(`broken word: ${word}`);
    // A code block has its own scroll bar.
    if (!block && boxes.some((box) => box.right > width + 1)) problems.push(`wider than the screen: ${word}`);
  }
}

const ids = [...document.querySelectorAll("[id]")].map((it) => it.id);
for (const id of new Set(ids)) if (ids.indexOf(id) !== ids.lastIndexOf(id)) problems.push(`duplicate id: ${id}`);
const headings = [...document.querySelectorAll("h1, h2, h3, h4, h5")];
for (const { id, textContent } of headings) {
  if (!id) problems.push(`heading without an id: ${textContent}`);
  if (headings.filter((it) => it.textContent === textContent).length > 1) problems.push(`repeated heading: ${textContent}`);
}
for (const it of document.querySelectorAll("table, pre")) {
  if (!(it.ariaLabel || it.caption?.textContent)) problems.push(`no name: ${it.textContent.slice(0, 60)}`);
}
for (const link of document.querySelectorAll('a[href^="#"]')) {
  if (!ids.includes(decodeURIComponent(link.hash.slice(1)))) problems.push(`broken link: ${link.hash}`);
}
const listed = document.querySelectorAll("nav a").length;
const rows = document.querySelectorAll("tr[id]").length;
if (listed < 20 || rows < 50) problems.push(`${listed} entries in the contents, ${rows} rows with an id`);
const places = `title at ${Math.round(title.top)}, first operation at ${Math.round(operation.top)} of ${height} px`;
parent.postMessage([`problems: ${problems.length} at ${width}, of ${words} words, ${places}`, ...problems.slice(0, 20)].join("\n"), "*");
