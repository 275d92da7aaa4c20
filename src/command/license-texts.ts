import { AppError } from "../kit/app-error.ts";

/** Returns the licences of the software in the executable, which replaces this module: see scripts/building/embedded-licenses.ts. */
export async function readLicenses(): Promise<string> {
  throw new AppError(
    "conflict",
    "licenses_not_embedded",
    "Argosy runs from source, which embeds no licences.",
    {
      details: {
        hint: "Each package has its licence in node_modules; the executable of `scripts/build` has them all.",
      },
    },
  );
}
