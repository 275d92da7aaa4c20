import { existsSync, readdirSync } from "node:fs";
import type { ChosenModel } from "../../../command/choose-model.ts";
import type { Config } from "../../../compose/settings/config.ts";
import { toAppError } from "../../../kit/app-error.ts";
import type { CommandCall } from "../../call.ts";
import { askYesNo, canAsk } from "../../terminal/ask.ts";
import { paint } from "../../terminal/paint.ts";
import { sayError } from "../../terminal/report-error.ts";
import { giveModel, isUntouched, writeWorkspace } from "./write-workspace.ts";

/**
 * Offers a person at a terminal what a first start lacks: a sample agent in an empty folder, and the model of a server on this machine where
 * nobody has chosen one yet. Returns true if files were written.
 */
export async function offerFirstSteps(
  call: CommandCall,
  { workspace, dataFolder }: Pick<Config, "workspace" | "dataFolder">,
): Promise<boolean> {
  const { shell, screen } = call;
  if (screen.json || !canAsk(shell) || existsSync(dataFolder)) return false;
  if (isEmpty(workspace)) {
    const question = `${workspace} is empty. Create a sample agent in it?`;
    if (!(await askYesNo(shell, question))) return false;
    const model = await offerModel(call);
    const files = await writeWorkspace(workspace, { agent: "assistant", force: false, model });
    for (const file of files) screen.say(paint("green", "wrote"), ` ${file}`);
    await shell.parts.trustWorkspace(workspace).catch((thrown) => sayError(screen, toAppError(thrown)));
    return true;
  }
  if (!isUntouched(workspace)) return false;
  const model = await offerModel(call);
  if (model === undefined) return false;
  for (const file of await giveModel(workspace, model)) screen.say(paint("green", "wrote"), ` ${file}`);
  return true;
}

/** Offers the models of servers on this machine to a person at a terminal, one after the other. */
export async function offerModel({ shell, screen, signal }: CommandCall): Promise<ChosenModel | undefined> {
  if (screen.json || !canAsk(shell)) return undefined;
  for (const model of await shell.parts.localModels(signal)) {
    const question = `A model server answers at ${model.endpoint}. Let agents use its model ${model.model}?`;
    if (await askYesNo(shell, question)) return model;
  }
  return undefined;
}

function isEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch {
    return false;
  }
}
