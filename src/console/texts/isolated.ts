const controls = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** Isolates a user's name inside our sentence, so that a right-to-left name does not change the direction of the text around it. */
export function isolated(name: string): string {
  const plain = name.replace(controls, "");
  return rightToLeft.test(plain) ? `\u2068${plain}\u2069` : plain;
}
