/** Styles of an element, set one by one: the page's policy forbids style attributes. */

import type {ElementPart} from "lit-html";
import {Directive, directive, type DirectiveParameters} from "lit-html/directive.js";

class Styled extends Directive {
  render(_styles: Record<string, string>): void {}

  override update(part: ElementPart, [styles]: DirectiveParameters<this>): void {
    const {style} = part.element as HTMLElement;
    for (const [name, value] of Object.entries(styles)) style.setProperty(name, value);
  }
}

export const styled = directive(Styled);
