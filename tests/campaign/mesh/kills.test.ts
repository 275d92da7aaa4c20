import { expect, test } from "bun:test";
import { killMesh } from "../../support/campaign/mesh-kills.ts";
import { postgresMissing } from "../../support/postgres.ts";
import { redisMissing } from "../../support/redis.ts";

const missing = postgresMissing ?? redisMissing;
const reason = missing === undefined ? "" : ` (${missing})`;

test.skipIf(missing !== undefined)(
  `nodes that are killed and paused in turn lose, change and double no acknowledged answer, charge or message${reason}`,
  async () => {
    const { faults, acknowledged, kills, pauses } = await killMesh({ kills: 3, pauses: true, everyMs: 4000 });
    expect(faults).toEqual([]);
    expect([kills, pauses, acknowledged > 0]).toEqual([3, 2, true]);
  },
);
