// How wide texts are in a picture, so that they have the room they need, or are cut.

import { el } from "./dom.ts";

const kSize = 12; // pixels, as in style.css
const kMost = 200; // characters; none of our pictures has room for more

const pen = el("canvas").getContext("2d");
if (pen) pen.font = `${kSize}px ${getComputedStyle(document.body).fontFamily}`;

export const widthOf = (text: string): number =>
  pen ? pen.measureText(text).width : 0.6 * kSize * text.length;

// By characters as they are seen, not by code units: half an emoji is no character.
export function fitting(text: string, room: number): string {
  const short = text.slice(0, 20 * kMost); // a character can be of many code units
  const letters = [...new Intl.Segmenter().segment(short)].map((piece) => piece.segment);
  if (letters.length <= kMost && widthOf(short) <= room) return short;
  letters.length = Math.min(letters.length, kMost);
  while (letters.length > 0 && widthOf(`${letters.join("")}…`) > room) letters.pop();
  return `${letters.join("")}…`;
}
