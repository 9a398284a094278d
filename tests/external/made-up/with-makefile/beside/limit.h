#define LIMIT 16
