// One Chromium for all tests. Every page is watched: what it logs, and what it asks of others.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

let browser;

export async function start() {
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : []; // which root cannot have
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args });
}

export const stop = () => browser?.close();

// Opens a page, has it looked at, and wants neither a word in the console nor a request.
export async function look(address, options, inspect) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 1000 }, ...options });
  const complaints = [], requests = [];
  context.setDefaultTimeout(10_000);
  const page = await context.newPage();
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(address);
  await page.locator(".stage svg").first().waitFor();
  await inspect(page);
  assert.deepEqual(complaints, []);
  assert.deepEqual(requests.filter((url) => !/^(data|blob):/.test(url)), [address]);
  await context.close();
}

export const figure = (page, title) =>
  page.locator("figure").filter({ has: page.getByRole("heading", { name: title, exact: true }) });

export const dots = (figure) => figure.locator(".stage [aria-label=dot] > *");

export const part = (figure, name) => figure.locator(`.stage [aria-label="${name}"] > *`);

// Where elements are, in CSS pixels.
export const boxes = (elements) => elements.evaluateAll((all) => all.map((element) => {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  return { left, right, top, bottom, x: (left + right) / 2, y: (top + bottom) / 2 };
}));

export async function downloaded(page, figure, button) {
  const [download] = await Promise.all([
    page.waitForEvent("download"), figure.getByRole("button", { name: button, exact: true }).click()]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}
