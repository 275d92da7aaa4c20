import { systemClock } from "../../../src/kit/clock.ts";
import { listContacts } from "../../../src/services/gateway/contacts/list-contacts.ts";
import { listConversations } from "../../../src/services/gateway/conversations/list-conversations.ts";
import { migrations } from "../../../src/services/gateway/migrations.gen.ts";
import { listOutbox } from "../../../src/services/gateway/outbox/list-outbox.ts";
import { readStats } from "../../../src/services/gateway/stats/read-stats.ts";
import { tables } from "../../../src/services/gateway/tables.ts";
import { dropOldRecords } from "../../../src/services/gateway/workers.ts";
import { numbered, openFilled, type Place } from "./fill.ts";

/** Messages of the gateway: `rows` outbound ones and as many in conversations of 20 messages, in 300 days, of ten tenants. */
export async function gatewayGrowth(place: Place, rows: number) {
  const now = systemClock.now();
  const at = `(${now.getTime()} - (${rows} - i) * ${Math.floor((300 * 86_400_000) / rows)})`;
  const id = (kind: string) => numbered(kind, "i");
  const tenant = "'t' || (i % 10)";
  const conversations = Math.max(10, rows / 20);
  const storage = await openFilled(place, {
    service: "gateway",
    tables,
    migrations,
    rows: {
      outbox: {
        count: rows,
        columns: {
          id: id("o"),
          tenant_id: tenant,
          channel: "case when i % 3 = 0 then 'telegram' else 'whatsapp' end",
          account_id: "'a'",
          recipient: "'r' || (i % 5000)",
          source: "'agent_reply'",
          payload: `'{"text":"Hello, this is the answer to a question of some length."}'`,
          status: "case when i % 2000 = 0 then 'failed' else 'sent' end",
          attempts: "1",
          unknowns: "0",
          is_unsettled: "0",
          due_at: at,
          expires_at: at,
          created_at: at,
          parts_done: "1",
          delivery_status: "case when i % 5000 = 1 then 'failed' when i % 2 = 0 then 'read' end",
        },
      },
      conversations: {
        count: conversations,
        columns: {
          id: "'c' || i",
          tenant_id: tenant,
          channel: "'whatsapp'",
          account_id: "'a'",
          external_user: "'3460' || i",
          contact_id: "'c' || i",
          session_id: "'s' || i",
          contact_name: "'Ann ' || i",
          mode: "case when i % 100 = 0 then 'human' else 'bot' end",
          last_message_at: `${now.getTime()} - (${conversations} - i) * ${Math.floor((300 * 86_400_000) / rows)}`,
          // Two in a thousand are unread.
          seen_at: `case when i % 500 = 0 then null else ${now.getTime()} end`,
          created_at: "0",
        },
      },
      contact_addresses: {
        count: conversations,
        columns: {
          tenant_id: tenant,
          channel: "'whatsapp'",
          scope: "''",
          value: "'3460' || i",
          kind: "'phone'",
          contact_id: "'c' || i",
          seen_at: "0",
        },
      },
      contacts: {
        count: conversations,
        columns: {
          id: "'c' || i",
          tenant_id: tenant,
          channel: "'whatsapp'",
          name: "'Ann ' || i",
          created_at: "0",
        },
      },
      message_words: {
        count: rows,
        columns: {
          word: `'w' || (i / ${conversations})`,
          tenant_id: `'t' || ((i % ${conversations}) % 10)`,
          conversation_id: `'c' || (i % ${conversations})`,
          at,
        },
      },
      conversation_messages: {
        count: rows,
        columns: {
          id: id("m"),
          tenant_id: tenant,
          conversation_id: `'c' || (i % ${conversations})`,
          channel: "'whatsapp'",
          direction: "case when i % 2 = 0 then 'inbound' else 'outbound' end",
          kind: "'text'",
          text: "'Hello, this is a question of some length.'",
          media: "'[]'",
          at,
        },
      },
    },
  });
  const stats = (days: number, tenantId?: string) =>
    readStats(storage, { days, now, storageBytes: 0, ...(tenantId && { tenant: tenantId }) });
  const desk = (more: object) =>
    listConversations(storage, { person: null, now, limit: 50, offset: 0, ...more });
  const contacts = (more: object) => listContacts(storage, { tenant: "t3", limit: 50, offset: 0, ...more });
  const outbox = (more: object) => listOutbox(storage, { limit: 50, offset: 0, ...more });
  return {
    storage,
    asked: {
      "stats of 7 days": () => stats(7),
      "stats of 30 days, of a tenant": () => stats(30, "t3"),
      "conversations of all tenants": () => desk({}),
      "conversations of a tenant": () => desk({ tenant: "t3" }),
      "conversations of a tenant, with a person": () => desk({ tenant: "t3", mode: "human" }),
      "unread of a tenant": () => desk({ tenant: "t0", unread: true }),
      "unread of a tenant, by a person": () => desk({ tenant: "t0", unread: true, person: "p" }),
      "open and assigned to nobody, of a tenant": () => desk({ tenant: "t3", state: "open", assignee: "" }),
      "search of a name, in a tenant": () => desk({ tenant: "t3", q: "Ann 33" }),
      "search of a word, in a tenant": () => desk({ tenant: "t3", q: "w7" }),
      "search without a hit, in a tenant": () => desk({ tenant: "t3", q: "nowhere" }),
      "conversations with refused messages": () => desk({ tenant: "t3", undelivered: true }),
      "contacts of a tenant": () => contacts({}),
      "search of a contact": () => contacts({ q: "Ann 33" }),
      "outbox of a tenant": () => outbox({ tenant: "t3" }),
      "failed outbox": () => outbox({ status: "failed" }),
      "pending outbox, empty": () => outbox({ status: "pending" }),
      "undelivered of a tenant": () => outbox({ tenant: "t3", delivery_status: "failed" }),
    } satisfies Record<string, () => Promise<unknown>>,
    /** The outbox is kept for 90 days, so most of it is due. */
    prune: () => dropOldRecords({ storage, clock: systemClock }),
  };
}
