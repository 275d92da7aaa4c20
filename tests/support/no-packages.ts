import { AppError } from "../../src/kit/app-error.ts";
import type { NpmPackages } from "../../src/kit/packages/npm-packages.ts";

/** Packages of a machine without a network. */
export const noPackages: NpmPackages = {
  find: async () => undefined,
  install: async ({ name }) => {
    throw new AppError("unavailable", "package_unavailable", `The package ${name} can't be had.`, {
      details: { hint: "Connect this machine." },
    });
  },
  command: (wanted) => `install ${wanted.map(({ name }) => name).join(" ")}`,
};
