/** How a provider counts a text: UTF-16 units, Unicode characters, or bytes of UTF-8. */
export type LengthUnit = "units" | "characters" | "bytes";

export interface TextLimit {
  max: number;
  unit: LengthUnit;
}

export function lengthIn(unit: LengthUnit, text: string): number {
  switch (unit) {
    case "units":
      return text.length;
    case "bytes":
      return Buffer.byteLength(text);
    case "characters": {
      let count = text.length;
      // The second half of a pair counts with the first.
      for (let at = 0; at < text.length; at++) if ((text.charCodeAt(at) & 0xfc00) === 0xdc00) count--;
      return count;
    }
  }
}
