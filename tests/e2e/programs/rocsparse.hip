/* rocSPARSE's products of a sparse matrix with a vector and with a matrix, by rows and balanced, and its transposition,
 * against the host. All numbers are small integers, so that the order of additions makes no difference. */
#include <rocsparse/rocsparse.h>
#include <utility>
#include <vector>
#include "check.h"

#define SPARSE(call) CHECK((call) == rocsparse_status_success)

enum { ROWS = 1200, COLUMNS = 900, VECTORS = 16 };
static const float alpha = 2, beta = 3;

struct Matrix {
    std::vector<int> start{0}, column;
    std::vector<float> value;
};

/* Every seventh row is long. */
static Matrix make_matrix()
{
    Matrix a;
    unsigned random = 1;
    for (int row = 0; row < ROWS; row++) {
        int column = 0;
        for (int k = row % 7 ? row % 13 : 200; k; k--) {
            random = random * 1664525 + 1013904223; /* Numerical Recipes */
            column += 1 + (random >> 28) % 4;
            if (column >= COLUMNS)
                break;
            a.column.push_back(column);
            a.value.push_back(static_cast<float>((random >> 20) % 9) - 4);
        }
        a.start.push_back(static_cast<int>(a.column.size()));
    }
    return a;
}

template <class T> static T *on_gpu(const std::vector<T> &v)
{
    T *p;
    HIP(hipMalloc(reinterpret_cast<void **>(&p), v.size() * sizeof(T)));
    HIP(hipMemcpy(p, v.data(), v.size() * sizeof(T), hipMemcpyHostToDevice));
    return p;
}

template <class T> static std::vector<T> from_gpu(const T *p, size_t n)
{
    std::vector<T> v(n);
    HIP(hipMemcpy(v.data(), p, n * sizeof(T), hipMemcpyDeviceToHost));
    return v;
}

/* alpha * A * x + beta for each of some vectors behind one another. */
static std::vector<float> product(const Matrix &a, const std::vector<float> &x, int vectors)
{
    std::vector<float> y(ROWS * vectors);
    for (int v = 0; v < vectors; v++)
        for (int row = 0; row < ROWS; row++) {
            float sum = 0;
            for (int k = a.start[row]; k < a.start[row + 1]; k++)
                sum += a.value[k] * x[v * COLUMNS + a.column[k]];
            y[v * ROWS + row] = alpha * sum + beta;
        }
    return y;
}

static std::vector<float> make_vectors(int vectors)
{
    std::vector<float> x(COLUMNS * vectors);
    for (size_t i = 0; i < x.size(); i++)
        x[i] = static_cast<float>(i % 11) - 5;
    return x;
}

struct OnGpu {
    int *start, *column, n;
    float *value;
    rocsparse_handle handle;
    rocsparse_mat_descr description;
};

static void multiply_vector(const Matrix &a, const OnGpu &g, bool balanced)
{
    const auto none = rocsparse_operation_none;
    rocsparse_mat_info info;
    auto x = make_vectors(1);
    float *y = on_gpu(std::vector<float>(ROWS, 1));
    SPARSE(rocsparse_create_mat_info(&info));
    if (balanced)
        SPARSE(rocsparse_scsrmv_analysis(g.handle, none, ROWS, COLUMNS, g.n, g.description, g.value, g.start, g.column, info));
    SPARSE(rocsparse_scsrmv(g.handle, none, ROWS, COLUMNS, g.n, &alpha, g.description, g.value, g.start, g.column,
                            balanced ? info : nullptr, on_gpu(x), &beta, y));
    CHECK(from_gpu(y, ROWS) == product(a, x, 1));
}

static void multiply_matrix(const Matrix &a, const OnGpu &g)
{
    const auto none = rocsparse_operation_none;
    auto x = make_vectors(VECTORS);
    float *y = on_gpu(std::vector<float>(ROWS * VECTORS, 1));
    SPARSE(rocsparse_scsrmm(g.handle, none, none, ROWS, VECTORS, COLUMNS, g.n, &alpha, g.description, g.value, g.start, g.column,
                            on_gpu(x), COLUMNS, &beta, y, ROWS));
    CHECK(from_gpu(y, ROWS * VECTORS) == product(a, x, VECTORS));
}

static void transpose(const Matrix &a, const OnGpu &g)
{
    size_t bytes;
    void *buffer;
    int *start = on_gpu(std::vector<int>(COLUMNS + 1)), *row = on_gpu(std::vector<int>(g.n));
    float *value = on_gpu(std::vector<float>(g.n));
    SPARSE(rocsparse_csr2csc_buffer_size(g.handle, ROWS, COLUMNS, g.n, g.start, g.column, rocsparse_action_numeric, &bytes));
    HIP(hipMalloc(&buffer, bytes));
    SPARSE(rocsparse_scsr2csc(g.handle, ROWS, COLUMNS, g.n, g.value, g.start, g.column, value, row, start, rocsparse_action_numeric,
                              rocsparse_index_base_zero, buffer));
    std::vector<std::vector<std::pair<int, float>>> columns(COLUMNS);
    for (int r = 0; r < ROWS; r++)
        for (int k = a.start[r]; k < a.start[r + 1]; k++)
            columns[a.column[k]].push_back({r, a.value[k]});
    auto starts = from_gpu(start, COLUMNS + 1);
    auto rows = from_gpu(row, g.n);
    auto values = from_gpu(value, g.n);
    int at = 0;
    for (int c = 0; c < COLUMNS; c++) {
        CHECK(starts[c] == at);
        for (const auto &[r, v] : columns[c]) {
            CHECK(rows[at] == r && values[at] == v);
            at++;
        }
    }
}

int main()
{
    Matrix a = make_matrix();
    OnGpu g = {on_gpu(a.start), on_gpu(a.column), static_cast<int>(a.column.size()), on_gpu(a.value), nullptr, nullptr};
    SPARSE(rocsparse_create_handle(&g.handle));
    SPARSE(rocsparse_create_mat_descr(&g.description));
    multiply_vector(a, g, false);
    multiply_vector(a, g, true);
    multiply_matrix(a, g);
    transpose(a, g);
    std::puts("PASSED");
    return 0;
}
