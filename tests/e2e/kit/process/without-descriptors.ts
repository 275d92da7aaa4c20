import { Database } from "bun:sqlite";
import { closeSync, openSync } from "node:fs";
import { ModelFailure } from "../../../../src/engine/models/model-failure.ts";
import { createProviderClient } from "../../../../src/engine/models/providers/wire/connection.ts";
import { asNetworkError } from "../../../../src/engine/tools/network/network-error.ts";
import { toRequestError } from "../../../../src/http/errors/error-answer.ts";
import { checkDescriptors } from "../../../../src/services/daemon/doctor/check-descriptors.ts";
import { databaseError } from "../../../../src/storage/database-error.ts";

/* A process under a low limit: opens files until no more can be opened, and prints the errors of its parts. */

const thrownBy = async (work: () => unknown): Promise<unknown> => {
  try {
    await work();
  } catch (thrown) {
    return thrown;
  }
  throw new Error("it went well");
};
const call = () => fetch("http://127.0.0.1:1/");
const codeOf = (thrown: unknown) => (thrown as { code?: string }).code;
type Ports = Parameters<typeof createProviderClient>[2];
type Watch = Parameters<ReturnType<typeof createProviderClient>["asFailure"]>[1];
const subject = { name: "lab/model" } as Parameters<typeof createProviderClient>[0];
const address = { base: new URL("http://127.0.0.1:1"), headers: {}, timeoutMs: 1_000 } as Parameters<
  typeof createProviderClient
>[1];
const connection = createProviderClient(subject, address, {} as Ports);

// Code loaded at first use needs descriptors of its own.
await thrownBy(call);
await checkDescriptors();
const open: number[] = [];
await thrownBy(() => {
  for (;;) open.push(openSync("/dev/null", "r"));
});
const failedCall = await thrownBy(call);
const model = connection.asFailure(failedCall, { timedOut: false } as Watch, false);
const told = {
  model: model.code,
  countsAgainstProvider: model instanceof ModelFailure,
  network: codeOf(asNetworkError(failedCall, new AbortController().signal)),
  database: databaseError(await thrownBy(() => new Database("/tmp/argosy-never-made.db"))).code,
  request: toRequestError(await thrownBy(() => openSync("/dev/null", "r")), () => []).status,
  doctor: (await checkDescriptors()).status,
};
for (const descriptor of open) closeSync(descriptor);
const afterwards = codeOf(await thrownBy(call));
process.stdout.write(JSON.stringify({ ...told, afterwards }));
