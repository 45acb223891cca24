// Runs in the page: which of the `wanted` texts are not drawn, or not found by the browser's own search.
const plain = (text) => text.replace(/\s+/g, " ");
const seen = plain(document.body.innerText);
const missing = wanted.filter((text) => !seen.includes(plain(text)));
const lost = wanted.filter((text) => {
  getSelection().removeAllRanges();
  // The search goes through the lines of a paragraph, but not from one cell or block to the next.
  return !window.find(text, true, false, true, false, false, false);
});
const found = document.createElement("pre");
found.id = "found";
const all = [...new Set([...missing, ...lost])];
found.textContent = [`missing: ${all.length} of ${wanted.length} texts, ${seen.length} characters`, ...all].join("\n") + "\n";
document.body.append(found);
