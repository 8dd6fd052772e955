/** Styles of an element, set one by one, as the page's policy forbids style attributes. */

import type {ElementPart} from "lit-html";
import {Directive, directive, type DirectiveParameters} from "lit-html/directive.js";

class StyleProperties extends Directive {
  private current: Record<string, string> = {};

  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- the type of the directive's argument
  render(_styles: Record<string, string>): void {}

  override update(part: ElementPart, [styles]: DirectiveParameters<this>): void {
    const {style} = part.element as HTMLElement;
    for (const [name, value] of Object.entries(styles)) {
      if (this.current[name] !== value) style.setProperty(name, value);
    }
    for (const name of Object.keys(this.current)) if (!(name in styles)) style.removeProperty(name);
    this.current = styles;
  }
}

export const styleProperties = directive(StyleProperties);
