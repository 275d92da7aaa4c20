import { performInProcess } from "./cli/perform-in-process.ts";
import { becomeHelper } from "./compose/helper-processes.ts";
import { endStartPolicy } from "./kit/process/jit-policy.ts";

// No top-level await: this file is compiled to bytecode.
const args = process.argv.slice(2);

// A server ends it itself, once it is started.
if (args[0] !== "serve") endStartPolicy();

if (!becomeHelper(args)) void performInProcess(args);
