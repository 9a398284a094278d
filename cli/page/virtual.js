/* Tables of any length: only the rows in sight are in the document. Every row has the same height, but on paper. */

const ROW = 21; /* px, as --row in page.css */
const BEYOND = 12; /* rows above and below what is seen */
const PRINTED = 500; /* rows on paper, at most */

/*
 * A list in `scroller`: table {label, class, columns: [{head, class, title, sort, width}], head: element or null}.
 * row(i) makes the cells of row i; mark(tr, i) adds to its <tr>; printed(i), when there is one, says whether it is printed. Rows are
 * chosen by click, keys and choose().
 */
class Rows {
  constructor(scroller, options) {
    Object.assign(this, {scroller, options, n: 0, at: -1, first: -1, last: -1});
    this.above = h("tr", {class: "space", "aria-hidden": "true"}, h("td", {}));
    this.below = this.above.cloneNode(true);
    this.body = h("tbody", {});
    this.table = h("table", {role: "grid", class: options.class, "aria-label": options.label}, options.head || null, this.body);
    scroller.replaceChildren(this.table);
    this.body.addEventListener("click", e => {
      const tr = e.target.closest("tr[data-row]");
      if (tr && !e.target.closest("button"))
        this.choose(Number(tr.dataset.row), true);
    });
    scroller.addEventListener("scroll", () => this.later(), {passive: true});
    new ResizeObserver(() => this.later()).observe(scroller);
    addEventListener("beforeprint", () => this.print());
    addEventListener("afterprint", () => {
      this.onPaper = false;
      this.draw(true);
    });
    scroller.rows = this;
  }

  set(n, at = -1) {
    this.n = n;
    this.at = at;
    this.table.setAttribute("aria-rowcount", n + 1);
    this.scroller.scrollTop = 0;
    this.draw(true);
    if (at >= 0)
      this.reveal(at, true);
  }

  later() {
    if (!this.waiting)
      this.waiting = requestAnimationFrame(() => {
        this.waiting = 0;
        this.draw(false);
      });
  }

  draw(anew) {
    if (this.onPaper)
      return;
    const seen = Math.ceil(this.scroller.clientHeight / ROW);
    const top = Math.floor(this.scroller.scrollTop / ROW);
    const first = Math.max(0, Math.min(top - BEYOND, this.n - seen - 2 * BEYOND));
    const last = Math.min(this.n, first + seen + 2 * BEYOND);
    if (!anew && first === this.first && last === this.last)
      return;
    [this.first, this.last] = [first, last];
    const rows = [];
    for (let i = first; i < last; i++)
      rows.push(this.make(i));
    this.above.firstChild.style.height = first * ROW + "px";
    this.below.firstChild.style.height = (this.n - last) * ROW + "px";
    this.above.firstChild.colSpan = this.below.firstChild.colSpan = rows.length ? rows[0].cells.length : 1;
    this.above.hidden = !first;
    this.below.hidden = last === this.n;
    this.body.replaceChildren(this.above, ...rows, this.below);
    this.tellActive();
  }

  /* Nothing scrolls on paper: all rows that are wanted there, without the room of the others. */
  print() {
    const wanted = this.options.printed || (() => true), rows = [];
    let more = 0;
    for (let i = 0, last = -1; i < this.n; i++) {
      if (!wanted(i))
        continue;
      if (rows.length === PRINTED) {
        more++;
        continue;
      }
      rows.push(this.make(i));
      rows[rows.length - 1].classList.toggle("gap", last >= 0 && i > last + 1);
      last = i;
    }
    if (more)
      rows.push(h("tr", {}, h("td", {class: "text", colspan: rows[0].cells.length}, "and " + count(more) + " more")));
    this.onPaper = true;
    this.body.replaceChildren(...rows);
  }

  make(i) {
    const tr = h("tr", {"data-row": i, id: this.options.id + "-" + i, "aria-rowindex": i + 2}, ...this.options.row(i));
    if (i === this.at)
      tr.setAttribute("aria-selected", "true");
    if (this.options.mark)
      this.options.mark(tr, i);
    return tr;
  }

  tellActive() {
    if (this.at >= this.first && this.at < this.last)
      this.scroller.setAttribute("aria-activedescendant", this.options.id + "-" + this.at);
    else
      this.scroller.removeAttribute("aria-activedescendant");
  }

  /* told: the one who listens is told. */
  choose(i, told) {
    if (i < 0 || i >= this.n)
      return;
    this.at = i;
    this.draw(true);
    this.reveal(i, false);
    if (told)
      this.options.chosen(i);
  }

  move(by) {
    this.choose(Math.max(0, Math.min(this.n - 1, this.at + by)), true);
  }

  /* Scrolls so that row i is seen; in the middle, or just in sight. */
  reveal(i, middle) {
    const head = this.table.tHead ? this.table.tHead.offsetHeight : 0;
    const room = this.scroller.clientHeight - head, top = i * ROW;
    if (middle)
      this.scroller.scrollTop = top - room / 2;
    else if (top < this.scroller.scrollTop)
      this.scroller.scrollTop = top;
    else if (top + ROW > this.scroller.scrollTop + room)
      this.scroller.scrollTop = top + ROW - room;
    this.draw(false);
  }
}
