import { createRoot } from "react-dom/client";
import { createServer } from "./api/server.ts";
import { App } from "./app.tsx";
import { areas } from "./areas.ts";
import { readNonce } from "./design/nonce.ts";

const place = document.getElementById("root");
if (place === null) throw new Error("The page has no place for the console.");
// The scroll lock of dialogs creates a style element, and looks for its nonce under this name.
Object.assign(globalThis, { __webpack_nonce__: readNonce() });
createRoot(place).render(<App server={createServer()} areas={areas} />);
