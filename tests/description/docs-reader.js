// Runs on the page, and reports which of the `wanted` texts and `programs` aren't visible, or aren't found by the
// browser's search, which fields aren't shown at the operation that uses them, and which schemas have no link back to
// it. Only the programs may be folded.
const plain = (text) => text.replace(/\s+/g, " ");
const absent = (texts) => {
  const seen = plain(document.body.innerText);
  const missing = texts.filter((text) => !seen.includes(plain(text)));
  const lost = texts.filter((text) => {
    getSelection().removeAllRanges();
    // The search finds text across the lines of a paragraph, but not across cells or blocks.
    return !window.find(text, true, false, true, false, false, false);
  });
  return [...missing, ...lost];
};

// Returns the elements from a heading to the next heading that isn't below it.
const section = (id) => {
  const heading = document.getElementById(id);
  const found = [];
  for (let at = heading?.nextElementSibling; at && !(/^H\d$/.test(at.tagName) && at.tagName <= heading.tagName); at = at.nextElementSibling) found.push(at);
  return found;
};
const misplaced = used.flatMap(({ operation, fields, schemas }) => {
  const rows = section(operation).flatMap((it) => [...it.querySelectorAll("tr")]);
  const shown = fields.filter(([schema, field, needed]) =>
    rows.some((row) => row.id.endsWith(`.${schema}.${field}`) && row.cells[0].textContent === field && row.cells[1].innerText.split("\n").includes(needed)),
  );
  const linked = schemas.filter((schema) => section(`schema-${schema}`).some((it) => it.querySelector(`a[href="#${operation}"]`)));
  return [
    ...fields.filter((it) => !shown.includes(it)).map((it) => `${operation}: ${it.join(" ")}`),
    ...schemas.filter((it) => !linked.includes(it)).map((it) => `${it}: no link to ${operation}`),
  ];
});

const found = document.createElement("pre");
found.id = "found";
const folded = absent(wanted);
for (const it of document.querySelectorAll("details")) it.open = true;
const all = [...new Set([...folded, ...absent(programs), ...misplaced])];
const count = wanted.length + programs.length + used.flatMap((it) => [...it.fields, ...it.schemas]).length;
found.textContent = [`missing: ${all.length} of ${count} texts`, ...all].join("\n") + "\n";
document.body.append(found);
