import { expect } from "bun:test";
import { cpSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { consoleLink, operatorToken } from "../support/console-world.ts";
import { argosy, executableTest, startServer } from "../support/executable.ts";
import { answered, gatewayAdmin, gatewayEnvironment } from "../support/gateway-world.ts";
import { type ReleaseData, readReleaseData, releasesFolder } from "../support/release-data.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

const root = join(import.meta.dir, "../..");
const services = ["daemon", "platform", "gateway", "cloud", "translator"];
const env = { PLATFORM_OPERATOR_TOKEN: operatorToken, ...gatewayEnvironment };
const releases = readdirSync(releasesFolder)
  .filter((name) => name.endsWith(".tar.zst"))
  .map((name) => basename(name, ".tar.zst"));

for (const release of releases) {
  executableTest(`the data of ${release} is whole after the upgrade, and work goes on with it`, async () => {
    using folder = temporaryFolder();
    for (const name of ["agents", "rag"])
      cpSync(join(root, name), join(folder.path, name), { recursive: true });
    const backup = join(releasesFolder, `${release}.tar.zst`);
    const restored = await argosy(folder.path, ["restore", backup, "--json"], { env });
    expect(restored).toMatchObject({ code: 0 });
    const { names, period, answers }: ReleaseData = JSON.parse(
      readFileSync(join(releasesFolder, `${release}.json`), "utf8"),
    );
    // The second start finds everything upgraded.
    for (const start of ["first", "second"]) {
      await using server = await startServer(folder.path, { services, env });
      const world = { server, names, link: () => consoleLink(folder.path, env) };
      // Later releases may add fields.
      expect(await readReleaseData(world, period), `${start} start`).toMatchObject(answers as object);
    }
    await using server = await startServer(folder.path, { services, env });
    // The gateway opens the sealed key of the binding, and the platform knows it.
    const gateway = gatewayAdmin(server);
    const sent = async () => {
      const { entries } = await gateway.listOutbox({ limit: 200 });
      return entries.filter(({ status }) => status === "sent" || status === "failed").length;
    };
    const before = await sent();
    const message = { canal: "phone_messenger", cuenta: "106540352242922", desde: "5215550009999" } as const;
    await gateway.emulateInbound({ ...message, texto: "Are you still there?" });
    await answered(server, before + 1);
    const { entries } = await gateway.listOutbox({ limit: 1 });
    expect(entries[0]).toMatchObject({ status: "sent" });
    expect(await argosy(folder.path, ["doctor", "--json"], { env })).toMatchObject({ code: 0 });
  });
}
