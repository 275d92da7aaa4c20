import { useConnectionLost } from "../../api/use-server.tsx";
import { shellTexts } from "../../texts/shell.ts";
import { Icon } from "../icon.tsx";

/** Reports a server that does not answer, once per page. `FailureView` shows no box for the same cause. */
export function OfflineBanner() {
  return useConnectionLost() ? (
    <div className="ar-offline" role="status">
      <Icon name="warn" />
      {shellTexts.offline}
    </div>
  ) : null;
}
