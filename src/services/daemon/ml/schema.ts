import type { MlSlot } from "../../../contracts/daemon/models/ml.ts";
import type { Columns } from "../../../storage/tables/columns.ts";

/** Registered models; the files are in `<data>/models`. */
export const mlTables = ({ table, id, text, json, instant, index, primaryKey }: Columns) => ({
  mlModels: table(
    "ml_models",
    {
      tenant: id("tenant").notNull(),
      name: text("name").notNull(),
      version: text("version").notNull(),
      /** Path relative to the models folder. */
      path: text("path").notNull(),
      task: text("task"),
      metadata: json<Record<string, unknown>>("metadata").notNull(),
      inputs: json<MlSlot[]>("inputs").notNull(),
      outputs: json<MlSlot[]>("outputs").notNull(),
      createdAt: instant("created_at").notNull(),
    },
    (model) => [
      primaryKey({ columns: [model.tenant, model.name, model.version] }),
      index("ml_models_newest").on(model.tenant, model.createdAt),
    ],
  ),
});

export type MlTables = ReturnType<typeof mlTables>;

export type MlModelRow = MlTables["mlModels"]["$inferSelect"];
