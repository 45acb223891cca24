// Uses openapi-typescript and openapi-fetch, in which all parameters are named.
import createClient from "openapi-fetch";

import type { paths } from "./schema.js";

const api = createClient<paths>({ baseUrl: process.env["BASE_URL"] as string });

const sales = await api.GET("/desks/{desk_id}/sales", {
  params: {
    path: { desk_id: "d1" },
    query: { side: "STALLSLEFT", since: "2025-01-01T00:00:00Z", until: "2025-02-01T00:00:00Z", count: 5 },
  },
});
if (!sales.data) throw new Error(`status ${sales.response.status}`);
for (const it of sales.data.items) {
  const texts: string[] = [it.id, it.price, it.seat_id, it.side ?? "", it.side === "STALLSRIGHT" ? "right" : "left"];
  console.log(texts.join(" "));
}

const desks = await api.GET("/desks", { params: { query: { ids: ["a", "b"], limit: 10 } } });
if (!desks.data) throw new Error(`status ${desks.response.status}`);
for (const it of desks.data.items) {
  const texts: string[] = [it.id, it.opened_at.slice(0, 10), it.memo ?? "", JSON.stringify(it.metadata ?? {})];
  console.log(texts.join(" "));
}

const body = { clerks: [{ name: "Ann", city: "Bonn", roles: ["seller"], note: "new" }] };
const added = await api.POST("/clerks", { body });
if (!added.data) throw new Error(`status ${added.response.status}`);
for (const it of added.data.clerks) {
  const texts: string[] = [it.name, it.id, ...it.roles];
  console.log(texts.join(" "));
}
