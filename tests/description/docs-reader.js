// Runs on the page, and reports which of the `wanted` texts aren't visible, or aren't found by the browser's search.
const plain = (text) => text.replace(/\s+/g, " ");
const seen = plain(document.body.innerText);
const missing = wanted.filter((text) => !seen.includes(plain(text)));
const lost = wanted.filter((text) => {
  getSelection().removeAllRanges();
  // The search finds text across the lines of a paragraph, but not across cells or blocks.
  return !window.find(text, true, false, true, false, false, false);
});
const found = document.createElement("pre");
found.id = "found";
const all = [...new Set([...missing, ...lost])];
found.textContent = [`missing: ${all.length} of ${wanted.length} texts, ${seen.length} characters`, ...all].join("\n") + "\n";
document.body.append(found);
