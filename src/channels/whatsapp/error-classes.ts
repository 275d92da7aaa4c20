import type { ErrorClass } from "../sending/error-class.ts";

/** Classes by the provider's error code. Neither its title nor the HTTP status says what to do. */
const classes: ReadonlyMap<number, ErrorClass> = new Map<number, ErrorClass>([
  ...each([1, 131000], "thrice"),
  ...each([2, 131016], "soon"),
  ...each([4, 80007, 131057], "minutes"),
  ...each([130429], "seconds"),
  ...each([131056], "pair"),
  ...each([131048], "hours_alert"),
  ...each([132069], "hours"),
  ...each(
    [
      100, 130472, 130497, 131008, 131009, 131021, 131026, 131030, 131049, 131050, 131051, 131052, 131062,
      131063, 131064, 132068, 133016, 135000, 137000,
    ],
    "final",
  ),
  ...each([131047], "window"),
  ...each([0, 3, 10, 33, 190, 368, 131005, 131031, 131037, 131042, 131045], "account"),
]);

function each(codes: readonly number[], errorClass: ErrorClass): [number, ErrorClass][] {
  return codes.map((code) => [code, errorClass]);
}

/** Returns the class of an error code; undefined for an unknown code. `details` decide about linked media. */
export function whatsAppErrorClass(code: number, details: string | undefined): ErrorClass | undefined {
  if (code >= 200 && code <= 299) return "account";
  if (code >= 132000 && code <= 132016) return "final";
  // The error is about the link that we sent. A retry helps only if the linked server was busy.
  if (code === 131053) {
    return details !== undefined && /(?<!\d)(?:429|5\d\d)(?!\d)/.test(details) ? "twice" : "final";
  }
  return classes.get(code);
}
