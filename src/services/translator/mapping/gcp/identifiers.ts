import { firstFreeName } from "../../../../contracts/free-name.ts";
/** Returns a name as the Agent Development Kit accepts it: a Python identifier. */
export function identifier(name: string): string {
  const plain = name.replaceAll(/[^A-Za-z0-9_]/g, "_");
  return /^[0-9]/.test(plain) ? `agent_${plain}` : plain;
}

/** Returns an identifier for each name; where two would be equal, the later one gets a number. */
export function identifiers(names: readonly string[], taken: readonly string[] = []): string[] {
  const used = new Set(taken);
  return names.map((name) => {
    const plain = identifier(name);
    const spell = (number: number) => (number === 1 ? plain : `${plain}_${number}`);
    const free = firstFreeName(spell, (other) => used.has(other), used.size);
    used.add(free);
    return free;
  });
}
