/** Widgets of the guide: `<div class="widget" data-widget="softmax">` in a page becomes one. They need no server. */

import {bandwidthWidget} from "./bandwidth";
import {beamWidget} from "./beam";
import {maskWidget} from "./mask";
import {rotaryWidget} from "./rotary";
import {smoothingWidget} from "./smoothing";
import {softmaxWidget} from "./softmax";
import "./widgets.css";

const WIDGETS: Record<string, (place: HTMLElement) => void> = {
  bandwidth: bandwidthWidget,
  beam: beamWidget,
  mask: maskWidget,
  rotary: rotaryWidget,
  smoothing: smoothingWidget,
  softmax: softmaxWidget,
};

for (const place of document.querySelectorAll<HTMLElement>("[data-widget]")) {
  WIDGETS[place.dataset.widget!]?.(place);
}
