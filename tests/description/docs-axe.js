// Runs on the page, after axe-core, and reports axe-core's accessibility findings.
axe.run(document).then(({ violations, passes }) => {
  const lines = violations.flatMap(({ id, help, nodes }) => [`${id}: ${help}`, ...nodes.slice(0, 3).map((it) => `  ${it.html.slice(0, 150)}`)]);
  parent.postMessage([`findings: ${violations.length} of ${violations.length + passes.length} rules`, ...lines].join("\n"), "*");
});
