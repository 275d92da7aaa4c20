import { OwnerLife } from "../../src/storage/owner-life.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { FakeClock } from "./fake-clock.ts";

/** This process as an owner that has renewed its lease for long enough to know which others are dead. */
export async function steadyLife(storage: Storage, owner: string): Promise<OwnerLife> {
  const clock = new FakeClock();
  const life = new OwnerLife(storage, owner, clock);
  for (let renewals = 0; renewals < 4; renewals++) {
    await clock.advance(3_000);
    await life.renew();
  }
  return life;
}
