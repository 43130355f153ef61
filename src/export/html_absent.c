/* In place of the page, in a build without the browser library. */
#include "export/html_page.h"

const struct rwk_html_page rwk_html_page = {0};
