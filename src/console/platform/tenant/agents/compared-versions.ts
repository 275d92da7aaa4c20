interface Asked {
  /** Values from the address. */
  from: string;
  to: string;
  current: number;
}

/** Returns the two versions to compare: those requested if they exist, otherwise the current one and the one before it. */
export function comparedVersions({ from, to, current }: Asked): { from: number; to: number } {
  const newer = versionOf(to, current) ?? current;
  return { from: versionOf(from, current) ?? Math.max(1, newer - 1), to: newer };
}

function versionOf(text: string, current: number): number | undefined {
  const number = Number(text);
  return /^[1-9]\d*$/.test(text) && number <= current ? number : undefined;
}
