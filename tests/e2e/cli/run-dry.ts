import { performInProcess } from "../../../src/cli/perform-in-process.ts";

/* A process with one command, whose action the first argument selects. */
const [kind = ""] = process.argv.slice(2);
const longText = "x".repeat(1_000_000);

void performInProcess(process.argv.slice(2), {
  patience: { looks: 3, everyMs: 20 },
  async perform(_args, { stdout }) {
    stdout.write("begun\n");
    if (kind === "wait-for-nothing") await new Promise(() => undefined);
    if (kind === "throw") throw new Error("not for anybody's eyes");
    // Work that does not keep a process alive by itself.
    if (kind === "digest")
      for (let round = 0; round < 20; round++)
        await crypto.subtle.digest("SHA-256", new Uint8Array(1_000_000));
    if (kind === "write-a-lot") for (let part = 0; part < 8; part++) stdout.write(longText);
    stdout.write("done\n");
    return 0;
  },
});
