import { expect, test } from "bun:test";
import { rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { diskReserve } from "../../src/storage/files/disk-reserve.ts";
import { asOwner, create, platformWithOwner, specOf } from "../services/platform/agents/sent-spec.ts";
import { smallDisk, smallDiskMissing } from "../support/small-disk.ts";
import { sqliteEngine } from "../support/storage-engines.ts";

const why = smallDiskMissing === undefined ? "" : ` (${smallDiskMissing})`;

test.skipIf(smallDiskMissing !== undefined)(
  `on a disk that is really nearly full, the greedy tenant is 503 and the modest one goes on${why}`,
  async () => {
    using disk = smallDisk(8192);
    let nowMs = 0;
    const reserve = diskReserve(disk.path, () => nowMs);
    await using platform = await platformWithOwner(sqliteEngine, (deps) => ({
      ...deps,
      storage: { ...deps.storage, disk: reserve },
    }));
    const modest = { ...platform, owner: await platform.tenant() };
    await create(modest, specOf("small"));
    const big = specOf("big", { prompts: { system: "x".repeat(100_000) } });
    expect((await create(platform, big)).status).toBe(201);
    expect((await create(platform, specOf("roomy"))).status).toBe(201);

    const { bavail, bsize } = statfsSync(disk.path);
    const ballast = join(disk.path, "ballast");
    writeFileSync(ballast, Buffer.alloc(Math.floor(bavail * 0.97) * bsize));
    nowMs += 1_000;
    const refused = await create(platform, specOf("more"));
    expect(refused).toMatchObject({ status: 503, body: { error: "disk_reserved" } });
    expect(
      await asOwner(platform, "POST", "/api/v1/agents/big/run", { body: { query: "Hi" } }),
    ).toMatchObject({
      status: 503,
      body: { error: "disk_reserved" },
    });
    expect((await create(modest, specOf("more"))).status).toBe(201);
    expect(
      (await asOwner(modest, "POST", "/api/v1/agents/small/run", { body: { query: "Hi" } })).status,
    ).toBe(200);

    rmSync(ballast);
    nowMs += 1_000;
    expect((await create(platform, specOf("more"))).status).toBe(201);
  },
);
