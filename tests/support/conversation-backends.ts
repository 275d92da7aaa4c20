import { describe } from "bun:test";
import type { ConversationArchive } from "../../src/engine/memory/conversation.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { newId } from "../../src/kit/id.ts";
import { silentLogger } from "../../src/kit/log.ts";
import { inProcessConversations } from "../../src/services/daemon/memory/stores/in-process-store.ts";
import { redisConversations } from "../../src/services/daemon/memory/stores/redis/redis-store.ts";
import { cacheSessions } from "../../src/services/daemon/memory/stores/session-cache.ts";
import { conversationStore } from "../../src/services/daemon/memory/stores/sql/sql-store.ts";
import { migrations } from "../../src/services/daemon/migrations.gen.ts";
import { tables } from "../../src/services/daemon/tables.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { openRedis } from "../../src/storage/redis/open-redis.ts";
import { lendDatabase } from "./lent-databases.ts";
import { postgresMissing, postgresServer } from "./postgres.ts";
import { redisMissing, redisServer } from "./redis.ts";
import { temporaryFolder } from "./temp-folder.ts";
import { testsServers } from "./tested-engines.ts";

/** Conversations in a place of their own, which is removed at the end of the `using` block. */
export interface TestConversations extends AsyncDisposable {
  store: ConversationArchive;
  /** Opens another store over the same place, as after a restart; undefined if nothing outlives the process. */
  reopen: (() => Promise<ConversationArchive>) | undefined;
}

export interface ConversationBackend {
  name: string;
  open(): Promise<TestConversations>;
}

/** Opens the daemon's database over `place`: a folder for SQLite, or a PostgreSQL server's address. */
export function openConversationStorage(place: { folder: string; url?: string }) {
  return openStorage({
    service: "daemon",
    tables,
    migrations,
    log: silentLogger,
    clock: systemClock,
    random: Math.random,
    ...place,
  });
}

async function openSql(place: { folder: string; url?: string }, cached: boolean): Promise<TestConversations> {
  const opened = [await openConversationStorage(place)];
  const wrap = (store: ConversationArchive) => (cached ? cacheSessions(store) : store);
  const [first] = opened;
  if (first === undefined) throw new Error("nothing was opened");
  return {
    store: wrap(conversationStore(first, newId)),
    async reopen() {
      await opened.pop()?.close();
      const storage = await openConversationStorage(place);
      opened.push(storage);
      return wrap(conversationStore(storage, newId));
    },
    async [Symbol.asyncDispose]() {
      for (const storage of opened) await storage.close();
    },
  };
}

function sqlite(name: string, cached: boolean): ConversationBackend {
  return {
    name,
    async open() {
      const folder = temporaryFolder();
      const opened = await openSql({ folder: folder.path }, cached);
      return {
        ...opened,
        async [Symbol.asyncDispose]() {
          await opened[Symbol.asyncDispose]();
          folder[Symbol.dispose]();
        },
      };
    },
  };
}

const postgres: ConversationBackend = {
  name: "postgres",
  async open() {
    const kind = JSON.stringify(["daemon", migrations.postgres]);
    const lent = await lendDatabase(await postgresServer(), kind, async (url) =>
      (await openConversationStorage({ folder: "", url })).close(),
    );
    const opened = await openSql({ folder: "", url: lent.url }, false);
    return {
      ...opened,
      async [Symbol.asyncDispose]() {
        await opened[Symbol.asyncDispose]();
        await lent[Symbol.asyncDispose]();
      },
    };
  },
};

const redis: ConversationBackend = {
  name: "redis",
  async open() {
    const url = (await redisServer()).createDatabase();
    const opened = [openRedis(url, systemClock)];
    const [first] = opened;
    if (first === undefined) throw new Error("nothing was opened");
    return {
      store: redisConversations(first, newId),
      async reopen() {
        opened.pop()?.close();
        const again = openRedis(url, systemClock);
        opened.push(again);
        return redisConversations(again, newId);
      },
      async [Symbol.asyncDispose]() {
        for (const connection of opened) connection.close();
      },
    };
  },
};

const memory: ConversationBackend = {
  name: "memory",
  open: async () => ({
    store: inProcessConversations(),
    reopen: undefined,
    async [Symbol.asyncDispose]() {},
  }),
};

/**
 * Declares the same tests for every backend of conversations; skips by name those that are not installed. A run of embedded engines leaves
 * out PostgreSQL and Redis.
 */
export function onEachConversationBackend(
  title: string,
  declare: (backend: ConversationBackend) => void,
): void {
  const servers: [ConversationBackend, string | undefined][] = [
    [postgres, postgresMissing],
    [redis, redisMissing],
  ];
  const tested: [ConversationBackend, string | undefined][] = [
    [sqlite("sqlite", false), undefined],
    [sqlite("sqlite, remembered in the process", true), undefined],
    ...(testsServers ? servers : []),
    [memory, undefined],
  ];
  for (const [backend, missing] of tested) {
    const reason = missing === undefined ? "" : ` (${missing})`;
    describe.skipIf(missing !== undefined)(`${title} on ${backend.name}${reason}`, () => declare(backend));
  }
}
