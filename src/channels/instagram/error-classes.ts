import type { ErrorClass } from "../sending/error-class.ts";

/** Classes by `code/subcode`, and by the code alone for each other subcode. */
const classes: ReadonlyMap<string, ErrorClass> = new Map<string, ErrorClass>([
  ["10/2534022", "window"],
  ["10/2018278", "window"],
  ["100", "final"],
  ["200", "final"],
  ["551", "final"],
  ["2", "thrice"],
  ["2/1545133", "thrice"],
  ["4", "minutes"],
  ["32", "minutes"],
  ["613", "minutes"],
  ["80006", "minutes"],
  ["1200", "soon"],
  ["-1", "soon"],
  ["190", "account"],
  ["368", "account"],
]);

/** Returns the class of an error; undefined for an unknown pair. */
export function instagramErrorClass(code: number, subcode: number | undefined): ErrorClass | undefined {
  // With a subcode it is about one message.
  if (code === 10 && subcode === undefined) return "account";
  return classes.get(`${code}/${subcode}`) ?? classes.get(`${code}`);
}
