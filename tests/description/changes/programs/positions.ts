// Uses the client from openapi-typescript-codegen, in which all parameters are positional.
import { type Clerk, type Desk, DesksService, OpenAPI, type Sale, Side } from "./client/index.js";

OpenAPI.BASE = process.env["BASE_URL"] as string;

const sales = await DesksService.listSales("d1", Side.STALLS_LEFT, "2025-01-01T00:00:00Z", "2025-02-01T00:00:00Z", 5);
for (const it of sales.items as Sale[]) {
  const texts: string[] = [it.id, it.price, it.seat_id, it.side ?? "", it.side === Side.STALLS_RIGHT ? "right" : "left"];
  console.log(texts.join(" "));
}

const desks = await DesksService.listDesks(["a", "b"], 10);
for (const it of desks.items as Desk[]) {
  const texts: string[] = [it.id, it.opened_at.slice(0, 10), it.memo ?? "", JSON.stringify(it.metadata ?? {})];
  console.log(texts.join(" "));
}

const added = await DesksService.addClerks({ clerks: [{ name: "Ann", city: "Bonn", roles: ["seller"], note: "new" }] });
for (const it of added.clerks as Clerk[]) {
  const texts: string[] = [it.name, it.id, ...it.roles];
  console.log(texts.join(" "));
}
