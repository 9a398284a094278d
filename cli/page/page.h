/* page.h - the page of `report --html` as text; its data goes between the two. */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

/* What a page of ours begins with. */
#define PAGE_MARK "<!DOCTYPE html>\n<!-- Made by lanescope report --html. -->\n"

extern const char page_before[], page_after[];

#endif
