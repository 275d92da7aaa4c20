import { AppError } from "../kit/app-error.ts";

/**
 * Returns the first of `spell(1)`, `spell(2)` … that is not taken. The spellings must differ. If `takenMax` bounds how many of them can be
 * taken, a search over one more always finds a free one. Throws AppError `no_free_name` (409) otherwise, so no search runs forever.
 */
export function firstFreeName(
  spell: (number: number) => string,
  isTaken: (name: string) => boolean,
  takenMax: number,
): string {
  for (let number = 1; number <= takenMax + 1; number++) {
    const name = spell(number);
    if (!isTaken(name)) return name;
  }
  throw new AppError(
    "conflict",
    "no_free_name",
    `No free name is left: ${spell(1)} to ${spell(takenMax + 1)} are taken or reserved.`,
    { details: { hint: "Choose another name." } },
  );
}
