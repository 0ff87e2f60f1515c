"use strict";

// Numbers in words, and tables that are filled anew once a second: cells change in place, so that a reader's
// position and selection stay.

const count = value => value === undefined || value === null ? "-" : value.toLocaleString("en");

function digits(value) {
  if (value === undefined || value === null) {
    return "-";
  }
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) {
    return value.toExponential(2);
  }
  return value.toLocaleString("en", { maximumSignificantDigits: 4 });
}

const score = value => value === undefined || value === null ? "-" : value.toFixed(3);

function duration(ms) {
  if (ms === undefined || ms === null) {
    return "-";
  }
  if (ms < 100) {
    return Math.round(ms) + " ms";
  }
  const seconds = ms / 1000;
  return seconds < 120 ? seconds.toFixed(seconds < 10 ? 1 : 0) + " s"
    : seconds < 7200 ? Math.round(seconds / 60) + " min" : Math.round(seconds / 3600) + " h";
}

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) {
    made.className = className;
  }
  if (text !== undefined) {
    made.textContent = text;
  }
  return made;
}

function setText(node, text) {
  if (node.textContent !== text) {
    node.textContent = text;
  }
}

function setChildren(parent, size, make) {
  while (parent.children.length > size) {
    parent.lastElementChild.remove();
  }
  while (parent.children.length < size) {
    parent.append(make());
  }
}

// columns: {title, words, value(row): text, mark(row): colour of a swatch, draw(cell, row)}; the first is the row's header.
function fill(table, caption, columns, rows, whenEmpty) {
  if (table.children.length !== 3) {
    table.replaceChildren(element("caption", "caption"), element("thead"), element("tbody"));
    table.tHead.append(element("tr"));
  }
  setText(table.caption, caption);
  const head = table.tHead.rows[0];
  setChildren(head, columns.length, () => {
    const th = element("th");
    th.scope = "col";
    return th;
  });
  columns.forEach((column, i) => {
    setText(head.children[i], column.title);
    head.children[i].className = i === 0 || column.words ? "words" : "";
  });
  const body = table.tBodies[0];
  if (rows.length === 0) {
    const cell = element("td", "words none", whenEmpty);
    cell.colSpan = columns.length;
    const row = element("tr");
    row.append(cell);
    body.replaceChildren(row);
    return;
  }
  if (body.querySelector("td.none")) {
    body.replaceChildren();
  }
  setChildren(body, rows.length, () => element("tr"));
  rows.forEach((row, r) => {
    const tr = body.rows[r];
    setChildren(tr, columns.length, () => {
      const cell = element(tr.children.length === 0 ? "th" : "td");
      if (tr.children.length === 0) {
        cell.scope = "row";
      }
      return cell;
    });
    columns.forEach((column, i) => fillCell(tr.children[i], column, row));
  });
}

function fillCell(cell, column, row) {
  cell.classList.toggle("words", Boolean(column.words));
  if (column.draw) {
    column.draw(cell, row);
    return;
  }
  if (!column.mark) {
    setText(cell, column.value(row));
    return;
  }
  if (cell.children.length !== 2) {
    cell.replaceChildren(element("span", "swatch"), element("span"));
  }
  cell.children[0].style.background = column.mark(row);
  setText(cell.children[1], column.value(row));
}
