/* The report as a page: the JSON of report_json.c inside of the text of cli/page/. */
#include "cli/common/safe_output.h"
#include "cli/page/page.h"
#include "report.h"

int report_html(const struct report *r, FILE *out)
{
    json_t *root = report_json_root(r);
    if (!root)
        return -1;
    fputs(page_before, out);
    int rc = write_json_in_html(root, out);
    fputs(page_after, out);
    json_decref(root);
    return rc;
}
