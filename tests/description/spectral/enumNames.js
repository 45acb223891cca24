// Checks that x-enum-varnames has one unique name per enum value, and that the enum has all of x-open-values.
export default (schema) => {
  const { enum: values = [], "x-enum-varnames": names, "x-open-values": open = [] } = schema;
  const problems = [];
  if (names && names.length !== values.length) {
    problems.push({ message: `x-enum-varnames has ${names.length} names for ${values.length} values.` });
  }
  for (const name of new Set(names)) {
    if (names.indexOf(name) !== names.lastIndexOf(name)) {
      problems.push({ message: `x-enum-varnames has the name ${name} twice.` });
    }
  }
  for (const value of open) {
    if (!values.includes(value)) problems.push({ message: `x-open-values has ${value}, which isn't an enum value.` });
  }
  return problems;
};
