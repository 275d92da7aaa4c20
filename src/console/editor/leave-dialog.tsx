import { Confirm } from "../parts/dialogs/confirm.tsx";
import { partTexts as texts } from "../texts/parts.ts";
import type { LeaveGuard } from "./use-leave-guard.ts";

/** Asks whether unsaved changes may be discarded. */
export function LeaveDialog({ guard }: { guard: LeaveGuard }) {
  return (
    <Confirm
      title={texts.leaveTitle}
      text={texts.leaveText}
      action={texts.leaveAction}
      opened={guard.isAsking}
      onClose={guard.stay}
      onConfirm={async () => guard.leave()}
    />
  );
}
