import { createRoot } from "react-dom/client";
import { createServer } from "./api/server.ts";
import { App } from "./app.tsx";

const place = document.getElementById("root");
if (place === null) throw new Error("The page has no place for the console.");
createRoot(place).render(<App server={createServer()} />);
