import type { MlPrediction, MlSlot } from "../../../contracts/daemon/models/ml.ts";

/** More values than this are for programs; a person begins with none. */
const valuesMax = 256;

/** Inputs of the right types and shapes, with zeros for values; a length that may be any is 1. */
export function exampleInputs(slots: readonly MlSlot[]): MlPrediction["inputs"] {
  return Object.fromEntries(
    slots.map(({ name, type, shape }) => {
      const lengths = shape.map((length) => (length === -1 ? 1 : length));
      const count = lengths.reduce((product, length) => product * length, 1);
      const value = type === "string" ? "" : type === "bool" ? false : 0;
      return [
        name,
        { shape: lengths, data: count > valuesMax ? [] : Array.from({ length: count }, () => value) },
      ];
    }),
  );
}
