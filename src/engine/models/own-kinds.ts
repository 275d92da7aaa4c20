import { providerKinds } from "./providers/registry.ts";

/** Kinds that run on this machine, so a sender can't give an address for them. */
const localKinds: ReadonlySet<string> = new Set(["onnx", "rehearsal"]);

/** Kinds of providers that a sender other than the owner may call at its own address. */
export const ownKinds: ReadonlySet<string> = new Set(
  providerKinds
    .filter(({ name }) => !localKinds.has(name))
    .flatMap(({ name, aliases }) => [name, ...aliases]),
);
