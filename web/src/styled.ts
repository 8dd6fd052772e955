/** Styles of an element, set one by one: the page's policy forbids style attributes. */

import type {ElementPart} from "lit-html";
import {Directive, directive, type DirectiveParameters} from "lit-html/directive.js";

class Styled extends Directive {
  private known: Record<string, string> = {};

  render(_styles: Record<string, string>): void {}

  override update(part: ElementPart, [styles]: DirectiveParameters<this>): void {
    const {style} = part.element as HTMLElement;
    for (const [name, value] of Object.entries(styles)) if (this.known[name] !== value) style.setProperty(name, value);
    for (const name of Object.keys(this.known)) if (!(name in styles)) style.removeProperty(name);
    this.known = styles;
  }
}

export const styled = directive(Styled);
