import { writeSync } from "node:fs";
import { systemClock } from "../../../src/kit/clock.ts";
import { newId } from "../../../src/kit/id.ts";
import { silentLogger } from "../../../src/kit/log.ts";
import { conversationStore } from "../../../src/services/daemon/memory/stores/sql/sql-store.ts";
import { migrations } from "../../../src/services/daemon/migrations.gen.ts";
import { tables } from "../../../src/services/daemon/tables.ts";
import { openDataFolder } from "../../../src/storage/files/data-folder.ts";
import { openStorage } from "../../../src/storage/open-storage.ts";

// Appends exchanges to the data folder of its argument until it is killed, and prints the session of each stored one.
async function work(): Promise<void> {
  const folder = openDataFolder(process.argv[2] ?? "");
  const storage = await openStorage({
    service: "daemon",
    tables,
    migrations,
    folder: folder.path,
    log: silentLogger,
    clock: systemClock,
    random: Math.random,
  });
  const store = conversationStore(storage, newId);

  const write = async () => {
    for (;;) {
      const sessionId = newId();
      const turn = { content: sessionId, at: systemClock.now(), tokenCount: 1, metadata: { sessionId } };
      await store.append({ tenant: "t", agent: "a", sessionId }, [
        { role: "user", ...turn },
        { role: "assistant", ...turn },
      ]);
      writeSync(1, `${sessionId}\n`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, write));
}

void work();
