import { Command, Option } from "commander";
import type { FeedbackGiven } from "../../contracts/daemon/runs/feedback.ts";
import { type Perform, withDaemon } from "../call.ts";
import { exitCodes } from "../exit-codes.ts";
import { usageError } from "../terminal/report-error.ts";

interface FeedbackOptions extends Omit<FeedbackGiven, "rating"> {
  rating?: "up" | "down";
  remove?: true;
}

export const feedbackCommand = (perform: Perform) =>
  new Command("feedback")
    .description("judge a run, so that it can be found and learnt from")
    .argument("<id>", "the run's trace")
    .addOption(new Option("--rating <rating>", "whether the answer was good").choices(["up", "down"]))
    .option("--label <word>", "a word to find such runs by")
    .option("--note <text>", "what was good, or what was missing")
    .option("--remove", "delete the verdict")
    .action((id: string, { remove, ...given }: FeedbackOptions, command: Command) =>
      perform(command, async (call) => {
        const { screen } = call;
        const isEmpty = Object.keys(given).length === 0;
        if (remove === true && !isEmpty) throw usageError("--remove takes no verdict beside it.");
        if (remove !== true && isEmpty)
          throw usageError("Give the verdict with --rating, --label or --note, or delete it with --remove.");
        const answer = await withDaemon(
          call,
          {},
          (client): Promise<object> => (remove ? client.deleteFeedback(id) : client.giveFeedback(id, given)),
        );
        if (screen.json) screen.document(answer);
        else screen.say(remove ? `Deleted the verdict on ${id}.` : `Stored the verdict on ${id}.`);
        return exitCodes.ok;
      }),
    );
