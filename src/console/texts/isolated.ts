const controls = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** A name that people chose, within a sentence of ours: it may run from right to left, and turns nothing beside it around. */
export function isolated(name: string): string {
  const plain = name.replace(controls, "");
  return rightToLeft.test(plain) ? `\u2068${plain}\u2069` : plain;
}
