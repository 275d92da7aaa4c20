import { becomeHelper } from "./compose/helper-processes.ts";

// From source, helper processes start here: `main.ts` would read the whole command line, four times as much as they need.
becomeHelper(process.argv.slice(2));
