const inWords = (key: string): string => {
  const words = key.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** Returns the label of a manifest's key, in any section: `token_budget` becomes "Token budget". */
export const keyLabel = (key: string): string => inWords(key);

/** Returns a value such as `plan_and_execute` in words; one word stays as the YAML has it. */
export const valueLabel = (value: string): string => (value.includes("_") ? inWords(value) : value);
